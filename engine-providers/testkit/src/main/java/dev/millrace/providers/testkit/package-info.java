/** Suites of cases that any providers are run by, for the tests of those who write one. */
@NullMarked
package dev.millrace.providers.testkit;

import org.jspecify.annotations.NullMarked;
