package dev.millrace.kotlin.graph

import dev.millrace.graph.EngineException
import dev.millrace.graph.ir.OpId
import dev.millrace.graph.op.Schemas

/** The opsets that a model imports: ONNX's own, and the newest of each other domain that it uses. */
internal class Opsets(
    onnx: Int,
) {
    val imported: MutableMap<String, Int> = linkedMapOf(OpId.ONNX to onnx)
    private var nodes = 0

    /** A number for a node that is given no name. */
    fun next(): Int = ++nodes

    /** The opset that an operator is written in; an operator that is not there is refused. */
    fun of(
        op: OpId,
        node: String,
    ): Int {
        val opset = imported.getOrPut(op.domain()) { maxOf(1, Schemas.newestVersion(op.domain())) }
        if (Schemas.newestVersion(op.domain()) >= 0 && Schemas.firstVersion(op) < 0) {
            throw EngineException.invalidGraph("node '$node': there is no operator $op${likeThat(op)}")
        }
        return opset
    }

    private fun likeThat(op: OpId): String =
        Schemas
            .all()
            .map { it.op() }
            .firstOrNull { it.name().equals(op.name(), ignoreCase = true) }
            ?.let { "; is $it meant?" }
            .orEmpty()
}
