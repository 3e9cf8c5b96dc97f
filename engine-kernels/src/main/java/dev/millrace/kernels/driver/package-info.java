/** What drivers of all families share: checks before calls, plans of calls, scratch memory, packed bytes. */
@NullMarked
package dev.millrace.kernels.driver;

import org.jspecify.annotations.NullMarked;
