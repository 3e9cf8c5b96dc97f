package dev.millrace.kotlin.graph

import dev.millrace.graph.EngineException
import dev.millrace.graph.format.Models
import dev.millrace.graph.format.WriteOptions
import dev.millrace.graph.infer.TypeInference
import dev.millrace.graph.ir.Graph
import dev.millrace.graph.ir.Model
import dev.millrace.kotlin.SessionConfiguration
import dev.millrace.kotlin.session
import dev.millrace.session.Engine
import dev.millrace.session.Session
import java.nio.file.Path

/** The opset that graphs are written in where nothing is said: one that runtimes of the last years read. */
public const val USUAL_OPSET: Int = 21

/** The version of the file format that knows that opset. */
private const val IR_VERSION = 10L

/**
 * A model whose graph is written here: `graph("scaled") { val x = input("x", FLOAT, "n"); output("y", relu(x) * 2f) }`.
 * Each node is checked where it is written: its operator, the number and types of its inputs, its attributes, the shapes.
 */
public fun graph(
    name: String,
    opset: Int = USUAL_OPSET,
    write: GraphScope.() -> Unit,
): Model {
    val graph = Graph.named(name)
    val opsets = Opsets(opset)
    try {
        GraphScope(graph, opsets).write(write)
        if (graph.outputs().isEmpty()) {
            throw EngineException.invalidGraph("it has no output; say output(\"y\", value)")
        }
        TypeInference.infer(graph)
    } catch (refused: EngineException) {
        throw refused.at("graph '$name'")
    }
    val header = Model.Header(IR_VERSION, "millrace", "", "", 1, "")
    return Model(header, opsets.imported, emptyMap(), emptyMap(), graph, null)
}

/** The bytes of an ONNX file. */
public fun Model.toBytes(): ByteArray = Models.toBytes(this)

/** Writes an ONNX file; weights of a kilobyte and more go to a file of external data beside it, where one is named. */
public fun Model.save(
    file: Path,
    externalData: String? = null,
): Unit = Models.write(this, file, externalData?.let(WriteOptions::externalData) ?: WriteOptions.inline())

/** A session of a model that was written here. */
public fun Engine.session(
    model: Model,
    configure: SessionConfiguration.() -> Unit = {},
): Session = session(model.toBytes(), configure)
