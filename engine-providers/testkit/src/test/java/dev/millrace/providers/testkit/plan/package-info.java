/** Tests of plans over simulated devices. */
@NullMarked
package dev.millrace.providers.testkit.plan;

import org.jspecify.annotations.NullMarked;
