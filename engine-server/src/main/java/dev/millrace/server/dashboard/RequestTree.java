package dev.millrace.server.dashboard;

import dev.millrace.server.timeline.GenerationTimes;
import dev.millrace.server.timeline.RequestTimeline;
import dev.millrace.server.timeline.RunTimes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The times of one request as a tree of JSON. Times are microseconds since it was received; null for what has not happened. */
final class RequestTree {
    private final RequestTimeline request;
    private final List<Map<String, @Nullable Object>> parts = new ArrayList<>();

    private RequestTree(RequestTimeline request) {
        this.request = request;
    }

    static Map<String, @Nullable Object> of(RequestTimeline request, long now) {
        return new RequestTree(request).tree(now);
    }

    private Map<String, @Nullable Object> tree(long now) {
        var tree = new LinkedHashMap<String, @Nullable Object>();
        tree.put("number", request.number());
        tree.put("receivedMillis", request.receivedMillis());
        tree.put("protocol", request.protocol());
        tree.put(
                "operation",
                request.operation() == null ? "" : request.operation().label());
        tree.put("model", request.model());
        tree.put("version", request.version());
        tree.put("status", request.status());
        tree.put("rows", request.rows());
        tree.put(
                "batch", request.runs().stream().mapToInt(RunTimes::batch).max().orElse(0));
        tree.put("promptTokens", request.promptTokens());
        tree.put("tokens", request.generatedTokens());
        tree.put("firstTokenMicros", micros(request.firstToken()));
        tree.put("endMicros", micros(request.ended()));
        tree.put("soFarMicros", micros(request.ended() == 0 ? now : request.ended()));
        addParts();
        tree.put("parts", parts);
        return tree;
    }

    /** Adds the parts in the order in which they begin. */
    private void addParts() {
        add(
                "read",
                "receive and read",
                request.received(),
                firstOf(request.read(), request.answered(), request.ended()));
        long answerable = request.read();
        for (RunTimes run : request.runs()) {
            String of = run.model().equals(request.model()) ? "" : " of " + run.model();
            long end = run.ended();
            add("queue", "queue" + of, run.queued(), firstOf(run.joined(), run.began(), end));
            if (run.joined() != 0) {
                add("batch", "batch of " + run.batch() + " waits", run.joined(), firstOf(run.began(), end));
            }
            if (run.began() != 0) {
                add("run", "run" + of, run.began(), end);
            }
            answerable = Math.max(answerable, end);
        }
        boolean streams = false;
        for (GenerationTimes each : request.generations()) {
            add("first", "to the first token", each.began(), firstOf(each.first(), request.ended()));
            if (each.first() != 0) {
                add("tokens", each.tokens() + " tokens", each.first(), each.last());
            }
            streams |= request.answered() != 0 && each.last() - request.answered() > 0;
            answerable = Math.max(answerable, each.last());
        }
        if (request.answered() != 0 && !streams) {
            boolean isInOne = request.runs().isEmpty() && request.generations().isEmpty();
            if (answerable != 0 && isInOne && request.status().equals(RequestTimeline.OK)) {
                add("run", "run and answer", answerable, request.answered());
            } else if (answerable != 0) {
                add("answer", "make the answer", answerable, request.answered());
            }
            add("write", "write the answer", request.answered(), request.ended());
        }
    }

    private void add(String kind, String name, long from, long to) {
        var part = new LinkedHashMap<String, @Nullable Object>();
        part.put("kind", kind);
        part.put("name", name);
        part.put("from", micros(from));
        part.put("to", micros(to));
        parts.add(part);
    }

    /** Returns the first of some times that has happened, or 0. */
    private static long firstOf(long... times) {
        for (long each : times) {
            if (each != 0) {
                return each;
            }
        }
        return 0;
    }

    private @Nullable Double micros(long time) {
        return time == 0 ? null : Math.round((time - request.received()) / 100.0) / 10.0;
    }
}
