/** Building blocks that rules of several families share: views, windows, indices, reductions, tables. */
@NullMarked
package dev.millrace.providers.simd.rule.common;

import org.jspecify.annotations.NullMarked;
