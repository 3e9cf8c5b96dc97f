/** Test suites that run against any provider, for the tests of those who write one. */
@NullMarked
package dev.millrace.providers.testkit;

import org.jspecify.annotations.NullMarked;
