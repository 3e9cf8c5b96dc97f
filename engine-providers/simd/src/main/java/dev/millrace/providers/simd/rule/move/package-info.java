/** Rules of operators that move data: gather, scatter, concatenate, pad, resize, views, blocks. */
@NullMarked
package dev.millrace.providers.simd.rule.move;

import org.jspecify.annotations.NullMarked;
