package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.op.Schemas;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How the nodes of a model or of one of its functions are to be read.
 *
 * @param opsets the opset of each domain
 * @param functionDomains the domains of the model's functions, which need no import
 * @param assumed takes the opsets of known domains that are used without an import
 * @param notes takes what departs from ONNX and is read all the same
 * @param inFunction whether attributes may refer to those of a caller
 */
record Dialect(
        long irVersion,
        Map<String, Integer> opsets,
        Set<String> functionDomains,
        Map<String, Integer> assumed,
        List<String> notes,
        boolean inFunction) {
    private static final int FIRST_IR_WITH_OPSETS = 3;
    private static final int FIRST_IR_WITH_FREE_INITIALIZERS = 4;

    /** Whether inputs that have an initializer are constants; later they are inputs with a default. */
    boolean inputsWithInitializerAreConstants() {
        return irVersion < FIRST_IR_WITH_FREE_INITIALIZERS;
    }

    OpId operator(String domain, String name) {
        return new OpId(OpsetAlias.opsetOf(domain) > 0 ? OpId.ONNX : domain, name);
    }

    /** The opset in which a node with this domain in the file is written. */
    int opset(String domainInFile, OpId op) {
        int alias = OpsetAlias.opsetOf(domainInFile);
        if (alias > 0) {
            return alias;
        }
        Integer imported = opsets.get(op.domain());
        if (imported != null) {
            return imported;
        }
        boolean implied = op.domain().isEmpty() && irVersion < FIRST_IR_WITH_OPSETS;
        if (implied || functionDomains.contains(op.domain())) {
            return 1;
        }
        int newest = op.domain().isEmpty() ? -1 : Schemas.newestVersion(op.domain());
        if (newest > 0) {
            assumed.put(op.domain(), newest);
            return newest;
        }
        throw EngineException.invalidGraph("the model imports no opset of domain '"
                + (op.domain().isEmpty() ? "ai.onnx" : op.domain()) + "', which operator " + op + " needs");
    }
}
