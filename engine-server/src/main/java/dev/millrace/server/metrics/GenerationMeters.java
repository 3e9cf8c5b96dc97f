package dev.millrace.server.metrics;

import dev.millrace.session.GenerationReport;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/** Meters of generations under OpenTelemetry's names for servers of generative models. */
final class GenerationMeters {
    private final MeterRegistry registry;

    GenerationMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    void add(GenerationReport generation) {
        // the engine completes prompts, those of chats as well
        Tags tags = Tags.of(
                "gen_ai.operation.name",
                "text_completion",
                "gen_ai.provider.name",
                "millrace",
                "gen_ai.request.model",
                generation.of().name(),
                "gen_ai.response.model",
                generation.of().name());
        time("request.duration", "Time of generations", tags, Duration.ofNanos(generation.ranNanos()));
        if (generation.generatedTokens() > 0) {
            time("time_to_first_token", "Time to the first token", tags, generation.toFirstToken());
        }
        if (generation.generatedTokens() > 1) {
            time("time_per_output_token", "Mean time of a token behind the first one", tags, generation.perToken());
        }
        tokens("input", generation.promptTokens(), tags);
        tokens("output", generation.generatedTokens(), tags);
    }

    private void time(String name, String meaning, Tags tags, Duration time) {
        Timer.builder("gen_ai.server." + name)
                .description(meaning)
                .tags(tags)
                .register(registry)
                .record(time);
    }

    private void tokens(String type, int count, Tags tags) {
        DistributionSummary.builder("gen_ai.client.token.usage")
                .description("Tokens of generations")
                .baseUnit("token")
                .tags(tags.and("gen_ai.token.type", type))
                .register(registry)
                .record(count);
    }
}
