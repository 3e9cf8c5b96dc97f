package dev.millrace.providers.tests;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.providers.testkit.NodeCases;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Runs the ONNX backend cases of single operators of which the provider takes a part. */
final class OnnxSuite {
    private final Subject subject;
    private final NodeCases cases = NodeCases.of();

    OnnxSuite(Subject subject) {
        this.subject = subject;
    }

    void cases() throws IOException {
        var wrong = new ArrayList<String>();
        int taken = 0;
        try (Subject.Host host = subject.host()) {
            SessionOptions options = host.options().build();
            for (String name : cases.names()) {
                String difference = "";
                try (Session session = host.engine().session(cases.model(name), options)) {
                    if (host.takesPart(session)) {
                        taken++;
                        difference = difference(session, name);
                    }
                } catch (EngineException e) {
                    difference = e.toString();
                }
                if (!difference.isEmpty() && passesOnHost(host, name)) {
                    wrong.add(name + ": " + difference);
                }
            }
        }
        assertTrue(wrong.isEmpty(), () -> wrong.size() + " cases differ:\n" + String.join("\n", wrong));
        assertTrue(taken > 0, "the provider takes no node of any case");
    }

    private boolean passesOnHost(Subject.Host host, String name) {
        SessionOptions options = SessionOptions.builder().provider("cpu").build();
        try (Session session = host.engine().session(cases.model(name), options)) {
            return difference(session, name).isEmpty();
        } catch (EngineException _) {
            return false;
        }
    }

    /** Runs a case. Describes the first difference from its expected outputs; empty where there is none. */
    private String difference(Session session, String name) {
        Inputs inputs = Inputs.empty();
        List<Datum> data = cases.inputs(name);
        for (int i = 0; i < data.size(); i++) {
            inputs.and(session.inputs().get(i).name(), data.get(i));
        }
        try (Outputs outputs = session.run(inputs)) {
            String difference =
                    cases.difference(name, List.copyOf(outputs.asMap().values()));
            return difference == null ? "" : difference;
        }
    }
}
