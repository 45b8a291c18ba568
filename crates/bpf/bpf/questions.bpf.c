/*! A program that evaluates the formulas in the kernel, for tests. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>

#include "question.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

struct question question;

SEC("syscall")
int ask(void *context)
{
	answer(&question);
	return 0;
}
