package dev.millrace.session.runtime;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.run.InputSource;
import dev.millrace.session.Inputs;
import dev.millrace.session.RunOptions;
import org.jspecify.annotations.Nullable;

/** The inputs of a run some of whose outputs stay on their devices. */
record StayingOutputs(Inputs inputs, RunOptions options) implements InputSource {
    @Override
    public @Nullable Datum input(String name) {
        return inputs.input(name);
    }

    @Override
    public @Nullable Tensor donated(String name) {
        return inputs.donated(name);
    }

    @Override
    public boolean staysOnDevice(String output) {
        return options.leavesOnDevice(output);
    }
}
