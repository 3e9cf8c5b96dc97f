package dev.millrace.session.request;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunResult;
import dev.millrace.session.stream.InferenceFlux;
import org.jspecify.annotations.Nullable;

/** The element types of answer streams: outputs, or results that carry either outputs or a failure. */
final class ResultAdapters {
    private ResultAdapters() {}

    static final class Answers implements InferenceFlux.Delivery<Inputs, Outputs, Outputs> {
        @Override
        public Outputs answer(Inputs request, Outputs answer) {
            return answer;
        }

        @Override
        public @Nullable Outputs failure(Inputs request, EngineException failure) {
            return null;
        }

        @Override
        public void drop(Outputs answer) {
            answer.close();
        }
    }

    static final class Results implements InferenceFlux.Delivery<Inputs, Outputs, RunResult> {
        @Override
        public RunResult answer(Inputs request, Outputs answer) {
            return new RunResult(request, answer, null);
        }

        @Override
        public RunResult failure(Inputs request, EngineException failure) {
            return new RunResult(request, null, failure);
        }

        @Override
        public void drop(Outputs answer) {
            answer.close();
        }
    }
}
