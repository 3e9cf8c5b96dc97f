package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.server.protocol.ModelConfig;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The models that an ensemble runs. */
final class EnsembleSteps {
    private final String ensemble;
    private final Map<String, StoredModel> stored;
    private final Set<String> names = new LinkedHashSet<>();

    private EnsembleSteps(String ensemble, Map<String, StoredModel> stored) {
        this.ensemble = ensemble;
        this.stored = stored;
    }

    /** Lists the models of an ensemble's steps, those of steps that are ensembles included. Other models have none. */
    static Set<String> of(String name, ModelConfig config, Map<String, StoredModel> stored) {
        var steps = new EnsembleSteps(name, stored);
        steps.add(config);
        return steps.names;
    }

    private void add(ModelConfig config) {
        for (var step : config.getEnsembleScheduling().getStepList()) {
            String name = step.getModelName();
            if (name.equals(ensemble)) {
                throw EngineException.invalidArgument("ensemble '" + ensemble + "' is a step of itself");
            }
            StoredModel member = stored.get(name);
            if (names.add(name) && member != null) {
                add(member.config());
            }
        }
    }
}
