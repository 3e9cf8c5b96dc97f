/** A simulated machine of devices, which finds mistakes of order, memory and failure in what drives devices. */
@NullMarked
package dev.millrace.providers.testkit.device;

import org.jspecify.annotations.NullMarked;
