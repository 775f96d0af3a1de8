/* SPDX-License-Identifier: MIT */
/* Noise is derived from the rounds: what is usual, which rounds are marked, what is said of it. */
#include "src/report/report.h"
#include "src/sys/pressure.h"
#include "tests/tap.h"
#include "tests/unit/made_up.h"

static struct model_bench *doc;
static struct model_scenario *s;

enum { USUAL_NS = 200000 };

/* Ten rounds of one scenario, two a block, all quiet. */
static void begin(void)
{
	model_bench_free(doc);
	doc = model_bench_new();
	if (!doc)
		abort();
	s = made_up_scenario(doc, "made_up");
	for (uint32_t i = 0; i < 10; i++) {
		struct model_round *r = made_up_add(s, made_up_round(i / 2, i % 2, 1000));

		r->calibration_ns = USUAL_NS;
		r->psi_cpu_ns = r->psi_memory_ns = r->psi_io_ns = 0;
	}
}

static void add_blocks(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct model_noise block = {
			.block = i,
			.started_ns = i * 1000,
			.elapsed_ns = 1000,
			.steal_ns = 20,
			.psi_cpu_ns = 300,
			.psi_memory_ns = 0,
			.psi_io_ns = 5,
		};

		if (model_noise_add(doc, &block) < 0)
			abort();
	}
}

/* The text of the warning of that id; "" where there is none. */
static const char *warning(const char *id)
{
	for (unsigned i = 0; i < s->n_warnings; i++)
		if (strcmp(s->warnings[i].id, id) == 0)
			return s->warnings[i].text;
	return "";
}

static size_t n_marked(uint32_t mark)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_rounds; i++)
		n += (s->rounds[i].marks & mark) != 0;
	return n;
}

static void test_slow_cpu(void)
{
	begin();
	for (size_t i = 0; i < 2; i++)
		s->rounds[i].calibration_ns = USUAL_NS * 120 / 100;
	s->rounds[2].calibration_ns = USUAL_NS * 104 / 100;
	model_bench_derive(doc);
	t_is_u64(n_marked(MODEL_MARK_SLOW_CPU), 2, "two rounds on a slow CPU are marked");
	t_ok(!(s->rounds[2].marks & MODEL_MARK_SLOW_CPU), "4 %% is no slow CPU");
	t_is_i64(s->verdict, MODEL_VALID, "a fifth of the rounds makes no noise");
	t_ok(model_noise_is_seen(doc), "but was seen");
	s->rounds[9].calibration_ns = USUAL_NS * 112 / 100;
	model_bench_derive(doc);
	t_is_i64(s->verdict, MODEL_NOISY, "more than a fifth does");
	t_is_str(
		warning("slow-cpu"),
		"3 of 10 rounds: the CPU ran 20 % slower than usual (a lower clock, a busy sibling "
		"thread or another guest); use an idle machine, or --ab, whose sides share such "
		"phases",
		"said with the figure, and what would help");
	for (size_t i = 0; i < 10; i++)
		s->rounds[i].calibration_ns = USUAL_NS;
	model_bench_derive(doc);
	t_ok(n_marked(MODEL_MARK_SLOW_CPU) == 0 && s->verdict == MODEL_VALID,
	     "marks are derived anew each time");
	t_ok(!model_noise_is_seen(doc), "and nothing was seen");
}

/* What is usual is asked of the whole document: here most of one scenario's time was slow. */
static void test_usual(void)
{
	struct model_scenario *quiet;

	begin();
	for (size_t i = 0; i < 10; i++)
		s->rounds[i].calibration_ns = USUAL_NS * 120 / 100;
	quiet = made_up_scenario(doc, "quiet");
	s = &doc->scenarios[0];
	for (uint32_t i = 0; i < 3; i++)
		made_up_add(quiet, made_up_round(0, i, 1000))->calibration_ns = USUAL_NS;
	model_bench_derive(doc);
	t_is_u64(n_marked(MODEL_MARK_SLOW_CPU), 10,
		 "a scenario that was slow throughout is seen by the others");
	t_is_double(s->usual_calibration_ns, USUAL_NS, 1e-9, "the usual is a low quantile");
	begin();
	s->rounds[4].calibration_ns = 0;
	s->rounds[5].calibration_ns = 0;
	s->rounds[6].calibration_ns = 0;
	model_bench_derive(doc);
	t_ok(n_marked(MODEL_MARK_SLOW_CPU) == 0 && isnan(doc->noise_summary.calibration_ns),
	     "a document in which it takes no time says nothing");
}

static void test_pressure(void)
{
	begin();
	for (size_t i = 0; i < 3; i++)
		s->rounds[i].psi_memory_ns = 400000;
	s->rounds[3].psi_memory_ns = 40000;
	model_bench_derive(doc);
	t_is_u64(n_marked(MODEL_MARK_PRESSURE), 3, "waits for memory are marked, short ones not");
	t_is_str(warning("pressure"),
		 "3 of 10 rounds: tasks waited for memory 40 % of the time (reclaim, swap or a "
		 "cgroup's limit); free memory, or give a smaller --size",
		 "and said");
	begin();
	for (size_t i = 0; i < 10; i++) {
		s->rounds[i].elapsed_ns = 100000;
		s->rounds[i].psi_memory_ns = 150000;
	}
	model_bench_derive(doc);
	t_is_u64(n_marked(MODEL_MARK_PRESSURE), 0,
		 "nor those in which our own looks were half of the window");
	begin();
	for (size_t i = 0; i < 10; i++)
		s->rounds[i].psi_cpu_ns = 1000000;
	model_bench_derive(doc);
	t_is_i64(s->verdict, MODEL_VALID, "waits for a CPU alone are somebody else's");
	begin();
	for (size_t i = 0; i < 10; i++)
		s->rounds[i].psi_io_ns = i < 4 ? 2000000 : 240000;
	model_bench_derive(doc);
	t_is_u64(n_marked(MODEL_MARK_PRESSURE), 4, "long waits for a disk are marked");
	t_contains(warning("pressure"), "4 of 10 rounds: tasks waited for a disk 100 % of the time",
		   "with a share that is none above all of it");
	s->ledger.major.hi = 1;
	model_bench_derive(doc);
	t_is_u64(n_marked(MODEL_MARK_PRESSURE), 0, "but not of a row that reads from it");
}

static void test_blocks(void)
{
	const struct model_noise_summary *sum;

	begin();
	add_blocks(5);
	s->rounds[6].calibration_ns = s->rounds[7].calibration_ns = USUAL_NS * 110 / 100;
	s->rounds[6].nivcsw = 2;
	s->rounds[7].nivcsw = 3;
	model_bench_derive(doc);
	sum = &doc->noise_summary;
	t_is_double(sum->steal_share, 0.02, 1e-9, "steal, of the time of all blocks");
	t_is_double(sum->psi_cpu_share, 0.3, 1e-9, "CPU pressure");
	t_is_double(sum->psi_memory_share, 0, 0, "memory pressure");
	t_is_double(sum->psi_io_share, 0.005, 1e-9, "I/O pressure");
	t_is_double(sum->worst_block_excess, 0.1, 1e-9, "the worst block");
	t_is_double(sum->calibration_spread, 0.05, 1e-2, "half of what the middle spans");
	t_is_i64(doc->noise[3].calibration_ns, USUAL_NS * 110 / 100, "is the fourth");
	t_is_u64(doc->noise[3].nivcsw, 5, "with its involuntary switches");
	t_is_i64(doc->noise[4].calibration_ns, USUAL_NS, "and not the fifth");
	doc->noise[2].psi_io_ns = MODEL_NOT_COUNTED;
	model_bench_derive(doc);
	t_ok(isnan(doc->noise_summary.psi_io_share) && !isnan(doc->noise_summary.psi_cpu_share),
	     "what was not counted once is not known");
	begin();
	add_blocks(MODEL_MAX_NOISE + 3);
	t_is_u64(doc->n_noise, MODEL_MAX_NOISE, "blocks are limited");
	t_ok(doc->noise[MODEL_MAX_NOISE - 1].elapsed_ns == 4000 &&
		     doc->noise[MODEL_MAX_NOISE - 1].psi_cpu_ns == 1200,
	     "the last stands for those that follow");
	made_up_add(s, made_up_round(MODEL_MAX_NOISE + 2, 0, 1000))->nivcsw = 9;
	model_bench_derive(doc);
	t_is_u64(doc->noise[MODEL_MAX_NOISE - 1].nivcsw, 9, "with their rounds");
}

static void test_old_document(void)
{
	begin();
	for (size_t i = 0; i < 10; i++) {
		s->rounds[i].calibration_ns = MODEL_NOT_COUNTED;
		s->rounds[i].psi_memory_ns = s->rounds[i].psi_io_ns = MODEL_NOT_COUNTED;
	}
	model_bench_derive(doc);
	t_ok(n_marked(MODEL_MARKS_NOISE) == 0 && s->verdict == MODEL_VALID,
	     "rounds of an older version are as they were");
	t_ok(isnan(doc->noise_summary.steal_share) && isnan(doc->noise_summary.calibration_ns),
	     "and nothing is known of the noise");
}

/* The line of the report; "" where there is none. */
static const char *line(bool verbose)
{
	static char text[512];
	struct report_style style = {.verbose = verbose, .width = 1000};
	FILE *out = fmemopen(text, sizeof(text), "w");

	text[0] = 0;
	report_noise(doc, out, &style);
	(void)fclose(out);
	return text;
}

static void test_line(void)
{
	begin();
	add_blocks(5);
	model_bench_derive(doc);
	t_is_str(line(false), "", "no noise seen: no line");
	t_is_str(
		line(true),
		"noise: steal 2.0 % of the time, CPU pressure 30 %, memory pressure 0, I/O pressure "
		"0.5 %, calibration +-0.0 % (worst block +0.0 %)\n",
		"save when asked");
	for (size_t i = 0; i < 4; i++)
		s->rounds[i].calibration_ns = USUAL_NS * 112 / 100;
	for (size_t i = 0; i < 5; i++)
		doc->noise[i].psi_memory_ns = MODEL_NOT_COUNTED;
	model_bench_derive(doc);
	t_is_str(line(false),
		 "noise: steal 2.0 % of the time, CPU pressure 30 %, memory pressure not told, I/O "
		 "pressure 0.5 %, calibration +-6.0 % (worst block +12.0 %)\n",
		 "noise seen: told");
	begin();
	for (size_t i = 0; i < 10; i++)
		s->rounds[i].calibration_ns = MODEL_NOT_COUNTED;
	s->rounds[0].marks = MODEL_MARK_STOLEN;
	model_bench_derive(doc);
	t_is_str(line(true), "", "an older version's document has no figures to tell");
}

static void test_parse(void)
{
	static const char whole[] = "some avg10=0.00 avg60=0.10 avg300=0.05 total=12345\n"
				    "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";

	t_is_i64(sys_pressure_parse(whole), 12345000, "microseconds become nanoseconds");
	t_is_i64(sys_pressure_parse("some avg10=0.00\nfull total=7\n"), SYS_PRESSURE_UNKNOWN,
		 "the other line's total is not taken");
	t_is_i64(sys_pressure_parse("full avg10=0.00 total=7\n"), SYS_PRESSURE_UNKNOWN,
		 "nor where it stands alone");
	t_is_i64(sys_pressure_parse("some total=-5\n"), SYS_PRESSURE_UNKNOWN, "no number: unknown");
	t_is_i64(sys_pressure_parse("some total=99999999999999999999\n"), SYS_PRESSURE_UNKNOWN,
		 "too large: unknown");
	t_is_i64(sys_pressure_parse(""), SYS_PRESSURE_UNKNOWN, "nothing: unknown");
}

/* A tick of ten milliseconds, told of rounds and of a run of one: no more than all of the time was stolen. */
static void test_coarse_steal(void)
{
	begin();
	for (size_t i = 0; i < s->n_rounds; i++) {
		s->rounds[i].steal_ns = 10 * s->rounds[i].elapsed_ns;
		s->rounds[i].marks |= MODEL_MARK_STOLEN;
	}
	add_blocks(5);
	for (size_t i = 0; i < doc->n_noise; i++)
		doc->noise[i].steal_ns = 10 * doc->noise[i].elapsed_ns;
	model_bench_derive(doc);
	t_ok(strstr(warning("stolen"), "(steal, 100 %)") != NULL, "a round: %s", warning("stolen"));
	t_is_double(doc->noise_summary.steal_share, 1, 0, "and the run");
}

int main(void)
{
	test_slow_cpu();
	test_usual();
	test_pressure();
	test_blocks();
	test_coarse_steal();
	test_old_document();
	test_line();
	test_parse();
	model_bench_free(doc);
	return t_done();
}
