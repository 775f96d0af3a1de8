/* SPDX-License-Identifier: MIT */
/* Where start-up ends and exit begins, of runs of all shapes. */
#include "src/model/bill_phases.h"
#include "tests/tap.h"

enum { MOST = 256 };

/* A run as stretches: so many moments of so much fault time each; n_moments 0 ends it. */
struct stretch {
	size_t n_moments;
	double time_ns;
};

struct shape {
	const char *name;
	size_t steady, exit, n;
	struct stretch stretches[16];
};

static const struct shape shapes[] = {
	{"a burst at the start, then nothing", 20, 250, 250, {{20, 100}, {230, 0}}},
	{"a burst at the start, then a hundredth", 20, 250, 250, {{20, 100}, {230, 1}}},
	{"a burst of one moment", 1, 200, 200, {{1, 100}, {199, 0.1}}},
	{"and a stall half as long later", 1, 200, 200, {{1, 100}, {99, 0}, {1, 50}, {99, 0}}},
	{"a burst of two thirds of the run", 170, 250, 250, {{170, 100}, {80, 1}}},
	{"a burst with a pause in it", 50, 250, 250, {{20, 100}, {10, 0}, {20, 80}, {200, 1}}},
	{"a start that sleeps first", 40, 250, 250, {{25, 0}, {15, 100}, {210, 0}}},
	{"a rate that falls to a third is no end", 0, 250, 250, {{20, 100}, {230, 33}}},
	{"a constant rate is steady from the start", 0, 250, 250, {{250, 7}}},
	{"so it is with a short quiet at the end", 0, 250, 250, {{240, 7}, {10, 0}}},
	{"no fault time at all", 0, 250, 250, {{250, 0}}},
	{"faults at the start alone, of few moments", 3, 5, 5, {{3, 100}, {2, 0}}},
	{"one moment", 0, 1, 1, {{1, 100}}},
	{"bursts all along, the last one long ago",
	 0,
	 250,
	 250,
	 {{10, 100},
	  {40, 0},
	  {10, 100},
	  {40, 0},
	  {10, 100},
	  {40, 0},
	  {10, 100},
	  {40, 0},
	  {10, 100},
	  {40, 0}}},
	{"a burst at the end", 20, 244, 250, {{20, 100}, {224, 1}, {6, 60}}},
	{"a burst at the end alone", 0, 246, 250, {{246, 0}, {4, 100}}},
	{"a burst of a fifth of the run at the end is no exit", 0, 250, 250, {{200, 0}, {50, 100}}},
	{"a burst of no weight at the end is no exit", 20, 250, 250, {{20, 100}, {229, 0}, {1, 9}}},
	{"a pause before more of the same is no quiet before exit",
	 0,
	 165,
	 165,
	 {{120, 100}, {25, 0}, {20, 100}}},
	{"stalls after start-up do not prolong it",
	 20,
	 250,
	 250,
	 {{20, 100}, {60, 0}, {1, 900}, {60, 0}, {1, 5000}, {108, 0}}},
};

static void test_shape(const struct shape *shape)
{
	struct model_phase_ends ends;
	double times[MOST];
	size_t n = 0;

	for (const struct stretch *s = shape->stretches; s->n_moments; s++)
		for (size_t i = 0; i < s->n_moments; i++)
			times[n++] = s->time_ns;
	t_is_u64(n, shape->n, "%s: moments", shape->name);
	ends = model_phases_find(times, n);
	t_is_u64(ends.steady, shape->steady, "%s: the end of start-up", shape->name);
	t_is_u64(ends.exit, shape->exit, "%s: the beginning of exit", shape->name);
}

/* The same with every moment half as long or half as short again, as real ones are. */
static void test_noise(void)
{
	double times[MOST];
	uint32_t state = 1;
	struct model_phase_ends ends;
	bool same = true;

	for (size_t trial = 0; trial < 200; trial++) {
		for (size_t i = 0; i < MOST; i++) {
			state = state * 1664525 + 1013904223;
			times[i] = (i < 40 ? 100 : 2) * (0.5 + (double)(state >> 8) / (1 << 24));
		}
		ends = model_phases_find(times, MOST);
		same = same && ends.steady == 40 && ends.exit == MOST;
	}
	t_ok(same, "200 noisy runs end their start-up where it ends");
	for (size_t trial = 0; trial < 200; trial++) {
		for (size_t i = 0; i < MOST; i++) {
			state = state * 1664525 + 1013904223;
			times[i] = (double)(state >> 8);
		}
		ends = model_phases_find(times, MOST);
		same = same && ends.steady == 0 && ends.exit == MOST;
	}
	t_ok(same, "200 noisy runs at one rate have none");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		test_shape(&shapes[i]);
	test_noise();
	return t_done();
}
