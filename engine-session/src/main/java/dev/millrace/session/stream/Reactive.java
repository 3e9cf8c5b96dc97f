package dev.millrace.session.stream;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** Single answers as publishers. */
public final class Reactive {
    private Reactive() {}

    /** An answer that is asked for with each subscription; {@code drop} frees one that nobody wants any more. */
    public static <Q, A> Mono<A> mono(Runs<Q, A> runs, Q request, Consumer<A> drop) {
        return Mono.create(sink -> {
            var cancellation = new Cancellation();
            sink.onCancel(cancellation::cancel);
            runs.start(request, cancellation, new Answer<>(sink, cancellation, drop));
        });
    }

    /** Hands the answer of one run on, unless nobody wants it any more. */
    private record Answer<A>(MonoSink<A> sink, Cancellation cancellation, Consumer<A> drop) implements Receiver<A> {
        @Override
        public void answered(A answer) {
            if (cancellation.isCancelled()) {
                drop.accept(answer);
            } else {
                sink.success(answer);
            }
        }

        @Override
        public void failed(EngineException failure) {
            if (!cancellation.isCancelled()) {
                sink.error(failure);
            }
        }
    }
}
