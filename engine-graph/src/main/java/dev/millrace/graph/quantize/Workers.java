package dev.millrace.graph.quantize;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.ArrayList;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** Threads that share the tasks of a loop. */
final class Workers implements AutoCloseable {
    private final int threads;
    private final ExecutorService pool;

    Workers(int threads) {
        this.threads = threads;
        this.pool = Executors.newFixedThreadPool(
                threads,
                Thread.ofPlatform().daemon().name("millrace-quantize-", 0).factory());
    }

    /** Runs {@code task} for each number below {@code count}, in any order, and returns when all have ended. */
    void forEach(int count, IntConsumer task) {
        var next = new AtomicInteger();
        Callable<Object> share = () -> {
            for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                task.accept(i);
            }
            return this;
        };
        var shares = new ArrayList<Callable<Object>>();
        for (int i = 0; i < Math.min(threads, count); i++) {
            shares.add(share);
        }
        try {
            for (Future<Object> done : pool.invokeAll(shares)) {
                done.get();
            }
        } catch (ExecutionException e) {
            throw EngineException.wrap(Status.FAIL, "quantisation", Objects.requireNonNull(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException(Status.CANCELLED, "the quantisation was interrupted", e);
        }
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
