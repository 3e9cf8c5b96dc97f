/** Tests of the plan format, of contexts that are kept and resolved, and of damaged ones. */
@NullMarked
package dev.millrace.providers.simd.context;

import org.jspecify.annotations.NullMarked;
