/*! Numbers for programs that have no floating point: 32 bits of mantissa and an exponent, in one word.
 *
 * BPF programs have only integers, and no fixed scale fits: a rate of one packet per minute and one of 2^20
 * packets per 10 us lie 2^43 apart, their squares 2^86. So a number is mantissa * 2^exponent with the mantissa in
 * [2^31, 2^32), packed as (exponent + BIAS) << 32 | mantissa; zero is the word 0. Hence:
 *
 * - a larger word is a larger number: comparing and the maximum need no code;
 * - each operation truncates with a relative error of less than 2^-30, towards zero except for the quotient, whose
 *   divisor may have been truncated before;
 * - exponents are far from their ends: the formulas stay within 2^-200 and 2^200, BIAS allows 2^-16000 and 2^16000.
 *
 * Dividing by zero gives zero, as the kernel's own division does.
 */
#pragma once

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* A separate function in the kernel, so that the verifier checks it once instead of at every call. */
#ifdef __bpf__
#define ROUTINE __attribute__((noinline))
#else
#define ROUTINE static inline
#endif

typedef __u64 number;

#define NUMBER_BIAS 16384

/* mantissa * 2^exponent for a mantissa in [2^31, 2^32). */
static __always_inline number number_pack(__u64 mantissa, __s64 exponent)
{
	return ((__u64)(exponent + NUMBER_BIAS) << 32) | mantissa;
}

static __always_inline __u64 number_mantissa(number a)
{
	return a & 0xffffffff;
}

static __always_inline __s64 number_exponent(number a)
{
	return (__s64)(a >> 32) - NUMBER_BIAS;
}

/* An integer; beyond 32 bits its lowest bits are truncated. */
ROUTINE number number_of(__u64 value)
{
	__s64 exponent = 0;

	if (!value)
		return 0;
	if (value >> 32) {
		/* To the right by halves: 16, 8, 4, 2, 1. */
		if (value >> 48) { value >>= 16; exponent += 16; }
		if (value >> 40) { value >>= 8; exponent += 8; }
		if (value >> 36) { value >>= 4; exponent += 4; }
		if (value >> 34) { value >>= 2; exponent += 2; }
		if (value >> 33) { value >>= 1; exponent += 1; }
		if (value >> 32) { value >>= 1; exponent += 1; }
	} else {
		if (!(value >> 16)) { value <<= 16; exponent -= 16; }
		if (!(value >> 24)) { value <<= 8; exponent -= 8; }
		if (!(value >> 28)) { value <<= 4; exponent -= 4; }
		if (!(value >> 30)) { value <<= 2; exponent -= 2; }
		if (!(value >> 31)) { value <<= 1; exponent -= 1; }
	}
	return number_pack(value, exponent);
}

ROUTINE number number_add(number a, number b)
{
	number larger = a > b ? a : b, smaller = a > b ? b : a;
	__u64 mantissa = number_mantissa(larger);
	__s64 exponent = number_exponent(larger);
	__u64 distance = (larger >> 32) - (smaller >> 32);

	if (!smaller || distance > 31)
		return larger;
	mantissa += number_mantissa(smaller) >> distance;
	if (mantissa >> 32) {
		mantissa >>= 1;
		exponent += 1;
	}
	return number_pack(mantissa, exponent);
}

ROUTINE number number_multiply(number a, number b)
{
	__u64 product = number_mantissa(a) * number_mantissa(b);
	__s64 exponent = number_exponent(a) + number_exponent(b) + 31;

	if (!a || !b)
		return 0;
	product >>= 31;
	if (product >> 32) {
		product >>= 1;
		exponent += 1;
	}
	return number_pack(product, exponent);
}

ROUTINE number number_divide(number a, number b)
{
	__u64 quotient;
	__s64 exponent = number_exponent(a) - number_exponent(b) - 32;

	if (!a || !b)
		return 0;
	quotient = (number_mantissa(a) << 32) / number_mantissa(b);
	if (quotient >> 32) {
		quotient >>= 1;
		exponent += 1;
	}
	return number_pack(quotient, exponent);
}

/* a * 2^power */
static __always_inline number number_scale(number a, __s64 power)
{
	return a ? a + ((__u64)power << 32) : 0;
}

static __always_inline number number_min(number a, number b)
{
	return a < b ? a : b;
}

static __always_inline number number_max(number a, number b)
{
	return a > b ? a : b;
}

/* The integer part of a * 2^bits, at most 2^62. */
ROUTINE __u64 number_fixed(number a, __s64 bits)
{
	__s64 shift = number_exponent(a) + bits;

	if (!a || shift < -31)
		return 0;
	if (shift > 30)
		return 1ULL << 62;
	return shift < 0 ? number_mantissa(a) >> -shift : number_mantissa(a) << shift;
}

#define NUMBER_ONE (((__u64)(NUMBER_BIAS - 31) << 32) | 0x80000000)
