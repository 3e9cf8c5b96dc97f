/** The compiler from the nodes of a partition to the steps of a program: facts about values, memory layouts, fusion. */
@NullMarked
package dev.millrace.providers.simd.lower;

import org.jspecify.annotations.NullMarked;
