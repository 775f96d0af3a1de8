/* SPDX-License-Identifier: MIT */
/* Reading all of this program's own pages, also where a sanitizer guards what lies between variables. */
#include "src/base/why.h"
#include "src/sys/code.h"
#include "tests/tap.h"

int main(void)
{
	struct why why = {.text = ""};

	t_plan(2);
	t_is_i64(sys_touch_code(&why), 0, "every page can be read");
	t_is_str(why.text, "", "and nothing is complained of");
	return t_done();
}
