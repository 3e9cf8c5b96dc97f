package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.event.FlightGeneration;
import dev.millrace.scheduler.event.FlightRecording;
import dev.millrace.scheduler.event.FlightRequest;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.session.BatchReport;
import dev.millrace.session.GenerationReport;
import dev.millrace.session.Inputs;
import dev.millrace.session.RequestListener;
import dev.millrace.session.RequestReport;
import dev.millrace.session.RunOptions;
import dev.millrace.session.SessionLabel;
import dev.millrace.session.request.HeardGeneration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Follows a session's requests for those who want to hear of them; nothing is made where nobody does. */
final class Watch {
    private final SessionLabel session;
    private final @Nullable RequestListener listener;
    private final AtomicLong numbers = new AtomicLong();

    Watch(SessionLabel session, @Nullable RequestListener listener) {
        this.session = session;
        this.listener = listener;
    }

    /** A request that has just been made, or null where nobody wants to hear of it. */
    @Nullable
    Request begin(Inputs inputs) {
        FlightRequest flight = FlightRecording.requestIfOn();
        return flight == null && listener == null ? null : new Request(inputs, flight);
    }

    /** The run of a request begins. */
    void began(RunOptions options) {
        RequestListener heard = listener;
        if (heard != null && !options.tag().isEmpty()) {
            tell(() -> heard.began(session, options.tag()));
        }
    }

    /** A request is part of a batch of so many. */
    void joined(RunOptions options, int size) {
        RequestListener heard = listener;
        if (heard != null && !options.tag().isEmpty()) {
            tell(() -> heard.joined(session, options.tag(), size));
        }
    }

    /** A run has answered so many requests. */
    void batchEnded(int size, long copiedNanos, long ranNanos) {
        RequestListener heard = listener;
        if (heard != null) {
            tell(() -> heard.batchEnded(new BatchReport(session, size, copiedNanos, ranNanos)));
        }
    }

    /** A generation that begins, or null where nobody wants to hear of it. */
    @Nullable
    HeardGeneration beginGeneration() {
        FlightGeneration flight = FlightRecording.generationIfOn();
        return flight == null && listener == null ? null : new WatchedGeneration(flight);
    }

    /** One generation, from its beginning to its end. */
    private final class WatchedGeneration implements HeardGeneration {
        private final @Nullable FlightGeneration flight;
        private final long begun = System.nanoTime();
        private int generated;
        private long first;
        private long last;

        WatchedGeneration(@Nullable FlightGeneration flight) {
            this.flight = flight;
        }

        @Override
        public void generated() {
            last = System.nanoTime() - begun;
            first = generated == 0 ? last : first;
            generated++;
        }

        @Override
        public void ended(int prompt, int cached, String outcome) {
            if (flight != null) {
                tell(() -> flight.end(session.name(), prompt, cached, generated, first, outcome));
            }
            RequestListener heard = listener;
            if (heard != null) {
                long ran = generated == 0 ? System.nanoTime() - begun : last;
                tell(() -> heard.generationEnded(
                        new GenerationReport(session, prompt, cached, generated, first, ran, outcome)));
            }
        }
    }

    private static void tell(Runnable call) {
        try {
            call.run();
        } catch (Throwable thrown) {
            Thread self = Thread.currentThread();
            self.getUncaughtExceptionHandler().uncaughtException(self, thrown);
        }
    }

    /** One request, from when it is made to its end. */
    final class Request {
        private final Inputs inputs;
        private final @Nullable FlightRequest flight;
        private final long number = numbers.incrementAndGet();
        private final long made = System.nanoTime();
        private long started;
        private boolean hasStarted;

        Request(Inputs inputs, @Nullable FlightRequest flight) {
            this.inputs = inputs;
            this.flight = flight;
        }

        void started(RunOptions options) {
            started = System.nanoTime();
            hasStarted = true;
            began(options);
            if (flight != null) {
                flight.begin();
            }
        }

        /** The options of its run, whose steps and bindings stand in a recording that is on. */
        RunOptions heard(RunOptions options) {
            if (flight == null) {
                return options;
            }
            RunListener recorded = flight.listener(session.name(), number);
            return options.toBuilder()
                    .listener(RunListener.both(recorded, options.listener()))
                    .build();
        }

        void ended(@Nullable EngineException failure) {
            long now = System.nanoTime();
            long queued = (hasStarted ? started : now) - made;
            if (flight != null) {
                tell(() -> flight.end(
                        session.name(),
                        number,
                        RequestReport.shapes(inputs).toString(),
                        queued,
                        RequestReport.outcome(failure)));
            }
            RequestListener heard = listener;
            if (heard != null) {
                long ran = hasStarted ? now - started : 0;
                tell(() -> heard.ended(new RequestReport(session, number, inputs, queued, ran, failure)));
            }
        }
    }
}
