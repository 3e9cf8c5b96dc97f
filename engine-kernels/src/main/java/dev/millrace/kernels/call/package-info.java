/**
 * What drivers of all families share: threads of the caller, checks before calls, plans of calls,
 * scratch memory, packed bytes.
 */
@NullMarked
package dev.millrace.kernels.call;

import org.jspecify.annotations.NullMarked;
