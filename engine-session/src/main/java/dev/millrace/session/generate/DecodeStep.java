package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.session.RunOptions;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.util.Deadline;
import dev.millrace.session.util.Failures;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** A step of a text in a batch: its last token, behind which logits are wanted. */
final class DecodeStep implements Disposable {
    private final BatchedText text;
    private final int word;
    private final RunOptions options;
    private final Receiver<float[]> to;
    private volatile boolean cancelled;
    private volatile @Nullable Disposable run;

    DecodeStep(BatchedText text, int word, RunOptions options, Receiver<float[]> to) {
        this.text = text;
        this.word = word;
        this.options = options;
        this.to = to;
    }

    BatchedText text() {
        return text;
    }

    int word() {
        return word;
    }

    RunOptions options() {
        return options;
    }

    /** Returns the reason why the step does not run any more; null if it does. */
    @Nullable
    EngineException refusal() {
        if (cancelled) {
            return Failures.cancelled();
        }
        try {
            options.cancellation().check();
        } catch (EngineException e) {
            return e;
        }
        Instant deadline = options.deadline();
        return deadline != null && !Instant.now().isBefore(deadline) ? Deadline.passed() : null;
    }

    void answered(float[] logits) {
        EngineException refused = refusal();
        if (refused == null) {
            to.answered(logits);
        } else {
            to.failed(refused);
        }
    }

    void failed(Throwable thrown) {
        to.failed(Failures.named("generation", thrown));
    }

    /** Notes the run of the step, if no other text has a step in it. */
    void runsAlone(Disposable itsRun) {
        run = itsRun;
        if (cancelled) {
            itsRun.dispose();
        }
    }

    @Override
    public void dispose() {
        cancelled = true;
        Disposable its = run;
        if (its != null) {
            its.dispose();
        }
    }
}
