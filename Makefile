# SPDX-License-Identifier: MIT
# The front door only: meson builds everything, in $(BUILD).
BUILD ?= build
ASAN  := $(BUILD)-asan
LOG   := meson-logs/testlog.json
TEST  := --suite unit --suite golden --suite cli --suite kernel --suite style
$(if $(word 2,$(BUILD)),$(error BUILD is one name without blanks, not '$(BUILD)'))
export UBSAN_OPTIONS ?= halt_on_error=1:print_stacktrace=1
help:
	@echo 'make demo        install what building takes, build, price five ways to touch memory'
	@echo 'make build       build $(BUILD)/pagetoll       make install    install it (DESTDIR=dir)'
	@echo 'make check       every quick test           make check-all  slow, sanitized, lint too'
	@echo 'make bench-NAME  a measurement of ours      make clean      remove what was built'
	@echo 'BUILD=dir builds elsewhere; CC=clang and MESON_ARGS=... count while that folder is new'
demo: build
	$(BUILD)/pagetoll bench five_configs
check: build # the summary judges: a failed test must not keep it from being printed
	@meson test -C $(BUILD) $(TEST) || true
	@tools/test-summary $(BUILD)/$(LOG)
check-all: build
	@[ -f $(ASAN)/build.ninja ] || \
		meson setup $(MESON_ARGS) -Db_sanitize=address,undefined -Db_lundef=false $(ASAN)
	@meson compile -C $(ASAN)
	@meson test -C $(BUILD) $(TEST) --suite slow --suite cases || true
	@meson test -C $(ASAN) --suite unit --suite golden || true
	@tools/test-summary $(BUILD)/$(LOG) $(ASAN)/$(LOG)
build:
	@tools/setup $(or $(lastword $(filter check check-all,$(MAKECMDGOALS))),demo)
	@[ -f $(BUILD)/build.ninja ] || meson setup $(MESON_ARGS) $(BUILD)
	@[ -z '$(filter check%,$(MAKECMDGOALS))' ] || meson setup --reconfigure $(BUILD) >/dev/null # new tools
	@meson compile -C $(BUILD)
	@rm -f $(BUILD)/$(LOG) $(ASAN)/$(LOG)
install: build
	@meson install -C $(BUILD) --no-rebuild
bench-%: build
	@meson compile -C $(BUILD) $@
clean:
	@for d in $(BUILD) $(ASAN); do [ ! -d $$d/meson-private ] || rm -rf $$d; done
.PHONY: help demo check check-all build install clean
