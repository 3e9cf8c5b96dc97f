package dev.millrace.server.model;

import dev.millrace.graph.EngineException;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelEnsembling;
import dev.millrace.session.Outputs;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import reactor.core.publisher.Mono;

/** A graph of models. A step runs as soon as its tensors are there, and steps that do not need each other run side by side. */
public final class EnsembleModel implements ServedModel {
    /** The models that steps name. */
    @FunctionalInterface
    public interface Members {
        /** Answers by the model of this name. The version is empty for the one that the server prefers. */
        Mono<Outputs> infer(String name, String version, InferRequest request);
    }

    private final ModelConfig config;
    private final TensorRules rules;
    private final Members members;
    private final Map<String, List<String>> labels;

    /** @param labels the names of classes, by the names of outputs */
    public EnsembleModel(ModelConfig config, Map<String, List<String>> labels, Members members) {
        this.config = config;
        this.labels = labels;
        this.members = members;
        rules = new TensorRules(config);
        check(config);
    }

    /** Refuses tensors that nothing computes, tensors that are computed twice, and steps that wait for themselves. */
    private static void check(ModelConfig config) {
        List<ModelEnsembling.Step> steps = config.getEnsembleScheduling().getStepList();
        var known = new LinkedHashSet<String>();
        config.getInputList().forEach(input -> known.add(input.getName()));
        var made = new HashSet<>(known);
        for (ModelEnsembling.Step step : steps) {
            for (String tensor : step.getOutputMapMap().values()) {
                if (!made.add(tensor)) {
                    throw EngineException.invalidArgument("ensemble '" + config.getName() + "': step '"
                            + step.getModelName() + "' computes '" + tensor + "', which is there already");
                }
            }
        }
        for (boolean grows = true; grows; ) {
            grows = false;
            for (ModelEnsembling.Step step : steps) {
                if (known.containsAll(step.getInputMapMap().values())) {
                    grows |= known.addAll(step.getOutputMapMap().values());
                }
            }
        }
        for (ModelEnsembling.Step step : steps) {
            requireAll(known, Set.copyOf(step.getInputMapMap().values()), config, "step '" + step.getModelName() + "'");
        }
        config.getOutputList().forEach(output -> requireAll(known, Set.of(output.getName()), config, "an output"));
    }

    private static void requireAll(Set<String> known, Set<String> wanted, ModelConfig config, String by) {
        var missing = new LinkedHashSet<>(wanted);
        missing.removeAll(known);
        if (!missing.isEmpty()) {
            throw EngineException.invalidArgument("ensemble '" + config.getName() + "': " + by + " needs " + missing
                    + ", which no step computes before it");
        }
    }

    @Override
    public ModelConfig config() {
        return config;
    }

    @Override
    public Mono<Outputs> infer(InferRequest request) {
        return Mono.create(sink -> {
            List<String> wanted = request.outputs().isEmpty()
                    ? config.getOutputList().stream()
                            .map(each -> each.getName())
                            .toList()
                    : request.outputs();
            var run = new EnsembleRun(config, members, request, wanted, sink);
            sink.onDispose(run);
            run.begin(rules.checked(request));
        });
    }

    @Override
    public List<String> labels(String output) {
        return labels.getOrDefault(output, List.of());
    }

    /** Does nothing: the models of the steps have owners of their own. */
    @Override
    public void close() {}
}
