package dev.millrace.session.runtime;

import dev.millrace.epcontext.CompatibilityCheck;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.session.ModelCompatibility;
import dev.millrace.session.prepare.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Asks those who compiled a model what they say of it now. */
final class CompatibilityQuestion {
    private CompatibilityQuestion() {}

    static List<ModelCompatibility> ask(Model model, Environment environment) {
        Map<String, String> infos = CompatibilityCheck.infos(model);
        Set<String> providers = new TreeSet<>(infos.keySet());
        collectSources(model.graph(), providers);
        var answers = new ArrayList<ModelCompatibility>();
        for (String provider : providers) {
            answers.add(answer(provider, environment, infos.getOrDefault(provider, "")));
        }
        return answers;
    }

    private static void collectSources(Graph graph, Set<String> to) {
        for (Node node : graph.nodes()) {
            if (node.op().equals(EpContext.OP)) {
                to.add(node.attributes().text(EpContext.SOURCE, ""));
            }
            node.attributes().graphs().forEach(nested -> collectSources(nested, to));
        }
    }

    private static ModelCompatibility answer(String provider, Environment environment, String info) {
        ProviderFactory factory = environment.factories().find(provider);
        if (factory == null) {
            return new ModelCompatibility(
                    provider,
                    Compatibility.UNSUPPORTED,
                    info,
                    "there is no provider '" + provider + "'; there are " + environment.providers());
        }
        Compatibility verdict = info.isEmpty()
                ? Compatibility.NOT_APPLICABLE
                : CompatibilityCheck.validate(factory, environment.hardware(provider), info);
        return new ModelCompatibility(
                provider,
                verdict,
                info,
                switch (verdict) {
                    case OPTIMAL -> "it was compiled for a machine like this one";
                    case PREFER_RECOMPILATION ->
                        "it runs, and would run faster if its source were compiled again on this machine";
                    case UNSUPPORTED -> "it does not run on this machine; compile its source again";
                    case NOT_APPLICABLE -> "nothing is said of what it was compiled for";
                });
    }
}
