package dev.millrace.server.timeline;

import dev.millrace.text.ChatDelta;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * The times of one request, in nanoseconds of {@link System#nanoTime()}; 0 for what has not happened. Written by
 * the threads that handle the request, and read by any.
 */
public final class RequestTimeline {
    /** The status of an answer by HTTP that is no failure. */
    public static final String OK = "200";

    /** The longest name of a model that is kept; clients choose it. */
    private static final int LONGEST_NAME = 200;
    /** The most runs that are kept of one request, those of an ensemble's steps. */
    private static final int MOST_PARTS = 100;

    private final String protocol;
    private final @Nullable ModelOperation operation;
    private final long receivedMillis = System.currentTimeMillis();
    private final long received = System.nanoTime();
    private final List<RunTimes> runs = new CopyOnWriteArrayList<>();
    private final List<GenerationTimes> generations = new CopyOnWriteArrayList<>();
    private volatile long number;
    private volatile String model = "";
    private volatile String version = "";
    private volatile String status = "";
    private volatile long read;
    private volatile long answered;
    private volatile long ended;
    private volatile long rows;
    private volatile long promptTokens;

    /**
     * Begins the timeline of a request that has just been received.
     *
     * @param operation the kind of request; null for one to no model
     */
    public RequestTimeline(String protocol, @Nullable ModelOperation operation) {
        this.protocol = protocol;
        this.operation = operation;
    }

    /** The number of the request among those that are kept, from 1; 0 for others. */
    public long number() {
        return number;
    }

    void number(long given) {
        number = given;
    }

    public String protocol() {
        return protocol;
    }

    /** The kind of request; null for one to no model. */
    public @Nullable ModelOperation operation() {
        return operation;
    }

    /** The time of day when it was received, in milliseconds. */
    public long receivedMillis() {
        return receivedMillis;
    }

    public long received() {
        return received;
    }

    /** The model's name as the client has it; empty while it is not known. */
    public String model() {
        return model;
    }

    public String version() {
        return version;
    }

    /** The status of its answer; empty before it. */
    public String status() {
        return status;
    }

    /** The time when its body was read and understood. */
    public long read() {
        return read;
    }

    /** The time when its answer was ready to be sent; the beginning of a stream. */
    public long answered() {
        return answered;
    }

    /** The time when its answer was written, or its client went away. */
    public long ended() {
        return ended;
    }

    /** The rows of its batch axis; 0 where nobody counts them. */
    public long rows() {
        return rows;
    }

    public long promptTokens() {
        return promptTokens;
    }

    /** The tokens of all generated texts. */
    public long generatedTokens() {
        return generations.stream().mapToLong(GenerationTimes::tokens).sum();
    }

    /** The time of the first part of its first text; 0 without one. */
    public long firstToken() {
        long earliest = 0;
        for (GenerationTimes each : generations) {
            long first = each.first();
            if (first != 0 && (earliest == 0 || first - earliest < 0)) {
                earliest = first;
            }
        }
        return earliest;
    }

    /** Whether it has been answered without a failure. */
    public boolean isAnswered() {
        return ended != 0 && status.equals(OK);
    }

    public List<RunTimes> runs() {
        return runs;
    }

    public List<GenerationTimes> generations() {
        return generations;
    }

    /** The request asks for this model. */
    public void asksFor(String name) {
        model = name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME) + "…";
    }

    /** The request is understood; this version answers it. */
    public void understood(String name, String ofVersion) {
        asksFor(name);
        version = ofVersion;
        read = System.nanoTime();
    }

    public void hasRows(long count) {
        rows = count;
    }

    public synchronized void addPromptTokens(long count) {
        promptTokens += count;
    }

    /** Returns a run that the request waits for from now on. */
    public RunTimes beginRun(String ofModel) {
        var run = new RunTimes(ofModel);
        if (runs.size() < MOST_PARTS) {
            runs.add(run);
        }
        return run;
    }

    /**
     * Returns the parts of a text that is generated for this request, whose times and tokens are kept.
     *
     * @param countsPrompt whether no other text counts the tokens of the same prompt
     */
    public Flux<ChatDelta> generated(Flux<ChatDelta> parts, boolean countsPrompt) {
        return Flux.defer(() -> {
            var generation = new GenerationTimes();
            if (generations.size() < MOST_PARTS) {
                generations.add(generation);
            }
            return parts.doOnNext(part -> {
                generation.add(part.usage().generated());
                if (countsPrompt && part.ending() != null) {
                    addPromptTokens(part.usage().prompt());
                }
            });
        });
    }

    /** The answer is ready to be sent. */
    public void answered(String withStatus) {
        status = withStatus;
        answered = System.nanoTime();
    }

    /** The answer is written. */
    public void end() {
        ended = System.nanoTime();
    }

    /** The request ends without that its answer is written. */
    public void end(String withStatus) {
        status = withStatus;
        end();
    }
}
