package dev.millrace.server.metrics;

import dev.millrace.server.timeline.GenerationTimes;
import dev.millrace.server.timeline.ModelOperation;
import dev.millrace.server.timeline.RequestTimeline;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/** Meters of requests that were answered, under OpenTelemetry's names for servers of generative models. */
final class GenerationMeters {
    private final MeterRegistry registry;

    GenerationMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Adds a generative request. A failed one is not counted. */
    void add(RequestTimeline request) {
        ModelOperation operation = request.operation();
        if (operation == null || !request.isAnswered()) {
            return;
        }
        Tags tags = Tags.of(
                "gen_ai.operation.name",
                operation.label(),
                "gen_ai.provider.name",
                "millrace",
                "gen_ai.request.model",
                request.model(),
                "gen_ai.response.model",
                request.model());
        time("request.duration", "Time of requests", tags, request.ended() - request.received());
        if (request.firstToken() != 0) {
            time("time_to_first_token", "Time to the first token", tags, request.firstToken() - request.received());
        }
        for (GenerationTimes each : request.generations()) {
            if (each.tokens() > 1) {
                long mean = (each.last() - each.first()) / (each.tokens() - 1);
                time("time_per_output_token", "Mean time of a token behind the first one", tags, mean);
            }
        }
        tokens("input", request.promptTokens(), tags);
        if (!request.generations().isEmpty()) {
            tokens("output", request.generatedTokens(), tags);
        }
    }

    private void time(String name, String meaning, Tags tags, long nanos) {
        Timer.builder("gen_ai.server." + name)
                .description(meaning)
                .tags(tags)
                .register(registry)
                .record(Duration.ofNanos(nanos));
    }

    private void tokens(String type, long count, Tags tags) {
        DistributionSummary.builder("gen_ai.client.token.usage")
                .description("Tokens of requests")
                .baseUnit("token")
                .tags(tags.and("gen_ai.token.type", type))
                .register(registry)
                .record(count);
    }
}
