package dev.millrace.session;

import dev.millrace.scheduler.Cancellation;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Sessions as publishers. Apart from {@link Session} so that blocking runs load no class of Reactor. */
final class Reactive {
    private Reactive() {}

    static Mono<Outputs> mono(Session session, Inputs inputs) {
        return Mono.create(sink -> {
            var cancellation = new Cancellation();
            sink.onCancel(cancellation::cancel);
            session.engine().runs().execute(() -> {
                if (cancellation.isCancelled()) {
                    return;
                }
                try {
                    Outputs outputs = session.run(inputs, cancellation);
                    if (cancellation.isCancelled()) {
                        outputs.close();
                    } else {
                        sink.success(outputs);
                    }
                } catch (Throwable thrown) {
                    sink.error(thrown);
                }
            });
        });
    }

    static Flux<Outputs> flux(Session session, Publisher<? extends Inputs> requests, int concurrency) {
        return new InferenceFlux(session, requests, concurrency);
    }
}
