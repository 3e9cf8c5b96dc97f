package dev.millrace.bench.serve;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Clients that send requests to one session each, in a closed loop: the next one as soon as the last is answered. */
final class Load implements AutoCloseable {
    private final Server server;
    private final Asker[] clients;
    private final CountDownLatch left;
    private final Latencies latencies = new Latencies();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
    /** The executor of a client's next request when a failure was reported within its own call. */
    private final ExecutorService afterFailures = Executors.newSingleThreadExecutor();

    private volatile boolean over;

    /** @param sessions the session of each client */
    Load(Server server, int... sessions) {
        this.server = server;
        this.left = new CountDownLatch(sessions.length);
        this.clients = new Asker[sessions.length];
        for (int i = 0; i < sessions.length; i++) {
            clients[i] = new Asker(sessions[i]);
        }
    }

    private final class Asker implements Server.Client {
        private final int session;
        private long started;
        private volatile long answers;

        Asker(int session) {
            this.session = session;
        }

        void ask() {
            if (over) {
                left.countDown();
                return;
            }
            started = System.nanoTime();
            server.begin(session, this);
        }

        @Override
        public void answered(@Nullable Throwable failure) {
            if (failure == null) {
                latencies.add(System.nanoTime() - started);
                count();
                ask();
            } else {
                failures.incrementAndGet();
                firstFailure.compareAndSet(null, failure);
                afterFailures.execute(this::ask);
            }
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // a client has one request at a time
        private void count() {
            answers++;
        }
    }

    void start() {
        for (Asker client : clients) {
            client.ask();
        }
    }

    /** Stops the clients after each has received its last answer. */
    void stop() throws InterruptedException {
        over = true;
        left.await();
    }

    /** Returns the number of answers that each client has received so far. */
    long[] answers() {
        long[] answers = new long[clients.length];
        for (int i = 0; i < answers.length; i++) {
            answers[i] = clients[i].answers;
        }
        return answers;
    }

    Latencies latencies() {
        return latencies;
    }

    long failures() {
        return failures.get();
    }

    @Nullable
    Throwable firstFailure() {
        return firstFailure.get();
    }

    @Override
    public void close() {
        afterFailures.shutdown();
    }
}
