/** How the nodes of a partition become the steps of a program: what is known, what lies where, what is fused. */
@NullMarked
package dev.millrace.providers.simd.lower;

import org.jspecify.annotations.NullMarked;
