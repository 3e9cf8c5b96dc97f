/** Models of Spring AI over the engine, and their auto-configuration. */
@NullMarked
package dev.millrace.spring.ai;

import org.jspecify.annotations.NullMarked;
