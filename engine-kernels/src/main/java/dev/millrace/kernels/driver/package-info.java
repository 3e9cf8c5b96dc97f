/** What drivers of all families share: checks before calls. */
@NullMarked
package dev.millrace.kernels.driver;

import org.jspecify.annotations.NullMarked;
