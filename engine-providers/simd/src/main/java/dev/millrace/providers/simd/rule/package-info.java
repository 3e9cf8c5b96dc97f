/** The rules that lower operators to steps, family by family. */
@NullMarked
package dev.millrace.providers.simd.rule;

import org.jspecify.annotations.NullMarked;
