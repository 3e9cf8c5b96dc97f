package dev.millrace.bench.suite;

import dev.millrace.cli.ModelArgument;

/** A source of a case's model. */
@FunctionalInterface
interface SuiteModel {
    /** Returns the model's file, which is downloaded or built first if it is missing. */
    ModelArgument get() throws Exception;
}
