package dev.millrace.bench.suite;

import dev.millrace.cli.ModelArgument;

/** Where the model of a case comes from. */
@FunctionalInterface
interface ModelSource {
    /** The model's file, fetched or built first where it is not there yet. */
    ModelArgument get() throws Exception;
}
