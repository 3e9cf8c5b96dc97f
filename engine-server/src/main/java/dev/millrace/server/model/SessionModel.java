package dev.millrace.server.model;

import dev.millrace.server.config.SessionSettings;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A model whose requests are independent of each other. The configuration says whether they are joined to batches. */
public final class SessionModel implements ServedModel {
    private final Session session;
    private final ModelConfig config;
    private final TensorRules rules;
    private final RunSettings settings;
    private final Inference inference;
    private final @Nullable TextModel text;
    private final boolean batches;
    private final Map<String, List<String>> labels;
    private final OpenedFile opened;

    /**
     * Takes ownership of the session and of the model of texts.
     *
     * @param labels the names of classes, by the names of outputs
     */
    public SessionModel(
            OpenedFile opened, ModelConfig config, Map<String, List<String>> labels, @Nullable TextModel text) {
        session = opened.session();
        this.opened = opened;
        this.labels = labels;
        this.config = config;
        this.text = text;
        rules = new TensorRules(config);
        settings = new RunSettings(config);
        batches = config.hasDynamicBatching() && config.getMaxBatchSize() > 1;
        inference = batches ? session.batched(SessionSettings.batching(config, session)) : session;
    }

    @Override
    public ModelConfig config() {
        return config;
    }

    @Override
    public Mono<Outputs> infer(InferRequest request) {
        return Mono.deferContextual(context -> {
            Inputs inputs = Inputs.of(rules.checked(request));
            var options = settings.of(request);
            if (!batches && !request.outputs().isEmpty()) {
                options.outputs(request.outputs());
            }
            return RunObservations.observed(context, config.getName(), options, built -> inference.mono(inputs, built))
                    .map(answer -> rules.answer(request, answer));
        });
    }

    @Override
    public @Nullable TextModel text() {
        return text;
    }

    @Override
    public List<String> labels(String output) {
        return labels.getOrDefault(output, List.of());
    }

    @Override
    public OpenedFile opened() {
        return opened;
    }

    @Override
    public int waiting() {
        return session.waiting();
    }

    @Override
    public void close() {
        if (text != null) {
            text.close();
        }
        session.close();
    }
}
