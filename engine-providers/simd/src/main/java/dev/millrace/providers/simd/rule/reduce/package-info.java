/** Rules of operators that reduce: sums, pools, top-k, losses, softmax, normalisations. */
@NullMarked
package dev.millrace.providers.simd.rule.reduce;

import org.jspecify.annotations.NullMarked;
