/** Tests of If, Loop and Scan. */
@NullMarked
package dev.millrace.providers.cpu.control;

import org.jspecify.annotations.NullMarked;
