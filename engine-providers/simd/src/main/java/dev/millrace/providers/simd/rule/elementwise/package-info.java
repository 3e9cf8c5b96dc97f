/** Rules of elementwise operators: arithmetic, comparisons, casts, powers, masked copies. */
@NullMarked
package dev.millrace.providers.simd.rule.elementwise;

import org.jspecify.annotations.NullMarked;
