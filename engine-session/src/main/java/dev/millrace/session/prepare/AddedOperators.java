package dev.millrace.session.prepare;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.op.CustomOperator;
import dev.millrace.graph.op.CustomOperators;
import dev.millrace.providers.guard.ProviderGuard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The operators that an engine's providers add, those of registered libraries included. Providers are asked when a model has
 * a node of a domain that is not the engine's. One that fails is noted, and its operators stay unknown.
 */
final class AddedOperators implements CustomOperators {
    private final Environment environment;
    private final Notes notes;
    private @Nullable Map<OpId, List<CustomOperator>> all;

    AddedOperators(Environment environment, Notes notes) {
        this.environment = environment;
        this.notes = notes;
    }

    @Override
    public @Nullable CustomOperator find(OpId op, int opset) {
        if (!CustomOperator.isAllowed(op.domain())) {
            return null;
        }
        CustomOperator newest = null;
        for (CustomOperator each : all().getOrDefault(op, List.of())) {
            int since = each.schema().since();
            if (since <= opset && (newest == null || since > newest.schema().since())) {
                newest = each;
            }
        }
        return newest;
    }

    private Map<OpId, List<CustomOperator>> all() {
        Map<OpId, List<CustomOperator>> known = all;
        if (known == null) {
            known = new HashMap<>();
            var owners = new HashMap<OpId, String>();
            for (String provider : environment.allProviders()) {
                for (CustomOperator each : of(provider)) {
                    OpId op = each.schema().op();
                    String owner = owners.putIfAbsent(op, provider);
                    if (owner == null || owner.equals(provider)) {
                        known.computeIfAbsent(op, _ -> new ArrayList<>()).add(each);
                    } else {
                        notes.add("operator " + op + " is defined by the providers '" + owner + "' and '" + provider
                                + "'; the definition of '" + owner + "' is used");
                    }
                }
            }
            all = known;
        }
        return known;
    }

    private List<CustomOperator> of(String provider) {
        try {
            return ProviderGuard.required(
                    provider,
                    "list of operators",
                    () -> List.copyOf(environment.factory(provider).customOperators()));
        } catch (EngineException e) {
            notes.add("the operators of a provider are left out: " + e.getMessage());
            return List.of();
        }
    }
}
