#include "schema.h"

#include <fmt/format.h>

namespace hta::cli {
namespace {

constexpr std::string_view kSchema = R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "title": "hta document",
  "description": "What every hta command writes with --format json. Times are microseconds, sizes bytes, percentages 0 to 100.",
  "type": "object",
  "required": ["schema", "tool", "command", "inputs", "quality", "findings", "tables", "notes"],
  "additionalProperties": false,
  "properties": {
    "schema": {"const": "hta/1"},
    "tool": {
      "type": "object",
      "required": ["name", "version"],
      "properties": {"name": {"const": "hta"}, "version": {"type": "string"}}
    },
    "command": {"type": "string"},
    "inputs": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["path", "rank", "status", "events", "gpu_events"],
        "additionalProperties": false,
        "properties": {
          "path": {"type": "string"},
          "label": {"type": "string"},
          "run": {"enum": ["base", "test"]},
          "rank": {"type": ["integer", "null"]},
          "rank_source": {"enum": ["metadata", "name", "assigned", "option", "label"]},
          "window": {"type": "integer", "minimum": 1},
          "status": {"type": "string"},
          "events": {"type": "integer", "minimum": 0},
          "gpu_events": {"type": "integer", "minimum": 0}
        }
      }
    },
    "quality": {
      "type": "object",
      "required": ["events", "damaged", "ignored", "suspect", "gpu_events_linked_pct"],
      "additionalProperties": false,
      "properties": {
        "events": {"type": "integer", "minimum": 0},
        "damaged": {"type": "integer", "minimum": 0},
        "ignored": {"type": "integer", "minimum": 0},
        "suspect": {"type": "integer", "minimum": 0},
        "gpu_events_linked_pct": {"type": ["number", "null"], "minimum": 0, "maximum": 100}
      }
    },
    "summary": {
      "type": "object",
      "required": ["main_finding", "bottleneck", "evidence"],
      "properties": {
        "main_finding": {"type": "string"},
        "bottleneck": {"enum": ["compute", "memory", "communication", "host", "straggler", "none"]},
        "evidence": {"$ref": "#/definitions/measures"}
      }
    },
    "findings": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["id", "severity", "title", "evidence", "threshold", "recommendation", "next"],
        "additionalProperties": false,
        "properties": {
          "id": {"type": "string"},
          "severity": {"enum": ["info", "warning", "critical"]},
          "title": {"type": "string"},
          "evidence": {"$ref": "#/definitions/measures"},
          "threshold": {"$ref": "#/definitions/measures"},
          "recommendation": {"type": "string"},
          "next": {"type": "string"},
          "gain": {"type": "object", "required": ["method"]}
        }
      }
    },
    "tables": {
      "type": "object",
      "additionalProperties": {
        "type": "object",
        "required": ["columns", "rows"],
        "additionalProperties": false,
        "properties": {
          "columns": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["name", "type"],
              "additionalProperties": false,
              "properties": {
                "name": {"type": "string"},
                "type": {"enum": ["int", "float", "string", "number"]},
                "unit": {"type": "string"}
              }
            }
          },
          "rows": {
            "type": "array",
            "items": {"type": "array", "items": {"type": ["number", "string", "null"]}}
          }
        }
      }
    },
    "notes": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["code", "severity", "message"],
        "additionalProperties": false,
        "properties": {
          "code": {"type": "string"},
          "severity": {"enum": ["info", "warning", "critical"]},
          "message": {"type": "string"}
        }
      }
    }
  },
  "definitions": {
    "measures": {
      "type": "object",
      "additionalProperties": {"type": ["number", "string", "null"]}
    }
  }
}
)json";

ExitStatus run(const Command&, Invocation&) {
  fmt::print("{}", kSchema);
  return ExitStatus::kDone;
}

}  // namespace

Command schema_command() {
  return {"schema", "the JSON Schema of the documents that --format json writes", "", Paths::kNone, {}, {}, nullptr,
          &run};
}

}  // namespace hta::cli
