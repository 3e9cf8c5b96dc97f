/** Tests of the rules, family by family. */
@NullMarked
package dev.millrace.providers.simd.rule;

import org.jspecify.annotations.NullMarked;
