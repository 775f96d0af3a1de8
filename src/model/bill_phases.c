/* SPDX-License-Identifier: MIT */
/*
 * Where start-up ends and exit begins, from the fault time of each moment of a run.
 *
 * Start-up is the shortest stretch from the beginning after which the rate has fallen for good below a tenth of its mean
 * in that stretch. For good means: in no later window as long as the stretch (or LEAST_WINDOW moments, so that one
 * stall does not count as a rate) is the mean above that tenth, where one moment weighs at most what start-up's mean
 * moment does; and the quiet lasts an eighth of the stretch at the least, and twice as long as any pause in it, so that
 * the pause after the last burst of many is no end. Where there is no such stretch, as at a constant rate, there was no
 * start-up. Exit is the same seen from the end: at most an eighth of the run, with a twentieth of its fault time.
 */
#include "src/model/bill_phases.h"

#include <math.h>
#include <stdbool.h>

#define QUIET 0.1
#define LEAST_EXIT_TIME 0.05
enum { LEAST_WINDOW = 16, REST_SHARE = 8, PAUSES = 2, EXIT_SHARE = 8, BEFORE_EXIT = 2 };

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Whether no window in [from, to) comes to a tenth of the mean of a busy stretch of so many moments. */
static bool is_quiet(const double *time_ns, size_t from, size_t to, double mean, size_t n_busy)
{
	size_t window = larger(n_busy, LEAST_WINDOW);
	double sum = 0;

	if (window > to - from)
		window = to - from;
	for (size_t i = from; i < to; i++) {
		sum += fmin(time_ns[i], mean);
		if (i - from >= window)
			sum -= fmin(time_ns[i - window], mean);
		if (i - from + 1 >= window && sum > QUIET * mean * (double)window)
			return false;
	}
	return true;
}

static size_t longest_pause(const double *time_ns, size_t n, double mean)
{
	size_t longest = 0, now = 0;

	for (size_t i = 0; i < n; i++) {
		now = time_ns[i] < QUIET * mean ? now + 1 : 0;
		longest = larger(longest, now);
	}
	return longest;
}

/* A window may hold a busy moment or two: they still belong to the stretch they are next to. */
static size_t extended(const double *time_ns, size_t end, size_t n, double mean)
{
	while (end < n && time_ns[end] >= QUIET * mean)
		end++;
	return end;
}

/* The end of start-up in the first n moments; 0: there was none. */
static size_t start_end(const double *time_ns, size_t n)
{
	double sum = 0;

	for (size_t end = 1; end < n; end++) {
		double mean = (sum += time_ns[end - 1]) / (double)end;
		size_t pause = longest_pause(time_ns, end, mean);

		if (mean > 0 && n - end >= larger(end / REST_SHARE, PAUSES * pause) &&
		    is_quiet(time_ns, end, n, mean, end))
			return extended(time_ns, end, n, mean);
	}
	return 0;
}

/* The beginning of an exit of about that many moments, behind a quiet stretch from steady on; n: there is none. */
static size_t exit_begin(const double *time_ns, size_t n, size_t steady, size_t n_exit,
			 double total)
{
	size_t begin = n - n_exit;
	double sum = 0, mean;

	for (size_t i = begin; i < n; i++)
		sum += time_ns[i];
	mean = sum / (double)n_exit;
	if (sum <= 0 || sum < LEAST_EXIT_TIME * total || time_ns[begin] < QUIET * mean ||
	    begin < steady + BEFORE_EXIT * n_exit ||
	    !is_quiet(time_ns, steady, begin, mean, n_exit))
		return n;
	while (begin > steady && time_ns[begin - 1] >= QUIET * mean)
		begin--;
	return begin;
}

struct model_phase_ends model_phases_find(const double *time_ns, size_t n)
{
	double total = 0;

	for (size_t i = 0; i < n; i++)
		total += time_ns[i];
	for (size_t n_exit = 1; n_exit <= n / EXIT_SHARE; n_exit++) {
		size_t steady = start_end(time_ns, n - n_exit);
		size_t begin = exit_begin(time_ns, n, steady, n_exit, total);

		if (begin < n)
			return (struct model_phase_ends){.steady = steady, .exit = begin};
	}
	return (struct model_phase_ends){.steady = start_end(time_ns, n), .exit = n};
}
