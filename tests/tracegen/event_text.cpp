#include "event_text.h"

#include <algorithm>
#include <utility>

namespace tracegen {

std::string_view category_name(Category category, Style style) {
  switch (category) {
    case Category::kCpuOp: return "cpu_op";
    case Category::kUserAnnotation: return "user_annotation";
    case Category::kPythonFunction: return "python_function";
    case Category::kRuntime: return "cuda_runtime";
    case Category::kKernel: return "kernel";
    case Category::kMemcpy: return "gpu_memcpy";
    case Category::kSync: return "cuda_sync";
    case Category::kGpuAnnotation: return "gpu_user_annotation";
    case Category::kFlow: return style == Style::kTorchOld ? "async_cpu_to_gpu" : "ac2g";
    case Category::kForwardBackward: return "fwdbwd";
    case Category::kInstant: return "cpu_instant_event";
    case Category::kTrace: return "Trace";
    case Category::kNone:
    case Category::kCount: break;
  }
  return "";
}

Field* EventFields::find(std::string_view key) {
  for (std::size_t i = 0; i < top_size_; ++i) {
    if (top_[i].key == key) return &top_[i];
  }
  return nullptr;
}

void EventFields::remove(std::string_view key) {
  const auto end = top_.begin() + static_cast<std::ptrdiff_t>(top_size_);
  const auto at = std::find_if(top_.begin(), end, [&](const Field& field) { return field.key == key; });
  if (at == end) return;
  // The next field takes over the place in the layout.
  if (at + 1 != end && at->lead == Lead::kLine) (at + 1)->lead = Lead::kLine;
  std::move(at + 1, end, at);
  --top_size_;
}

TraceText::TraceText(const Options& options, int rank, ByteSink& out) : o_(options), rank_(rank), out_(out) {
  if (!o_.hostile.bare_array) out_.put('{');
}

void TraceText::separate() {
  if (!std::exchange(first_key_, false)) out_.put(',');
  if (o_.style != Style::kCompact) out_.put('\n');
  if (o_.style == Style::kIndent2) out_.put("  ");
}

void TraceText::header(std::string_view name, std::string_view json) {
  if (o_.hostile.bare_array) return;
  separate();
  key(name, o_.style == Style::kCompact ? "" : " ");
  if (o_.style == Style::kCompact) {
    compact_json(json);
  } else if (o_.style == Style::kIndent2) {
    indented_json(json, 1);
  } else {
    out_.put(json);
  }
}

void TraceText::begin_events() {
  if (!o_.hostile.bare_array) {
    separate();
    key("traceEvents", o_.style == Style::kCompact ? "" : " ");
  }
  out_.put('[');
}

void TraceText::event(const EventFields& event) {
  if (!std::exchange(first_event_, false)) out_.put(',');
  if (o_.style != Style::kCompact) out_.put('\n');
  ++events_;
  if (o_.shuffle_keys) {
    shuffled(event);
  } else if (o_.style == Style::kIndent2) {
    indented(event);
  } else if (o_.style == Style::kCompact) {
    compact(event);
  } else {
    kineto(event);
  }
}

void TraceText::end_events() {
  if (o_.hostile.trailing_comma) out_.put(',');
  out_.put(o_.style == Style::kCompact ? "]" : "\n  ]");
}

void TraceText::end_file() {
  if (o_.hostile.bare_array) return;
  out_.put(o_.style == Style::kCompact ? "}" : "\n}");
  out_.put('\n');
}

void TraceText::key(std::string_view name, std::string_view after) {
  out_.put('"');
  out_.put(name);
  out_.put("\":");
  out_.put(after);
}

void TraceText::value(const Field& field) {
  switch (field.kind) {
    case Field::Kind::kInt: out_.put_int(field.number); break;
    case Field::Kind::kTime:
      // Old traces cut every time to whole microseconds by itself, starts and durations alike.
      if (o_.ts == TimeText::kMicros) {
        out_.put_int(field.number / 1000);
      } else {
        out_.put_micros(field.number);
      }
      break;
    case Field::Kind::kText:
      out_.put('"');
      out_.put(field.text);
      out_.put('"');
      break;
    case Field::Kind::kJson: out_.put(field.text); break;
  }
}

void TraceText::kineto(const EventFields& event) {
  out_.put("  {\n    ");
  for (std::size_t i = 0; i < event.top_size(); ++i) {
    const Field& field = event.top(i);
    if (i > 0) out_.put(field.lead == Field::Lead::kLine ? ",\n    " : ", ");
    key(field.key, " ");
    value(field);
  }
  if (event.has_args()) {
    out_.put(",\n    \"args\": {\n      ");
    for (std::size_t i = 0; i < event.args_size(); ++i) {
      const Field& field = event.arg(i);
      if (i > 0) {
        out_.put(field.lead == Field::Lead::kLine ? ",\n      " : field.lead == Field::Lead::kSpace ? ", " : ",");
      }
      key(field.key, " ");
      value(field);
    }
    out_.put("\n    }");
  }
  out_.put("\n  }");
}

void TraceText::compact(const EventFields& event) {
  const auto put_field = [&](const Field& field) {
    key(field.key, "");
    if (field.kind == Field::Kind::kJson) {
      compact_json(field.text);
    } else {
      value(field);
    }
  };
  for (std::size_t i = 0; i < event.top_size(); ++i) {
    out_.put(i == 0 ? '{' : ',');
    put_field(event.top(i));
  }
  if (event.has_args()) {
    out_.put(",\"args\":{");
    for (std::size_t i = 0; i < event.args_size(); ++i) {
      if (i > 0) out_.put(',');
      put_field(event.arg(i));
    }
    out_.put('}');
  }
  out_.put('}');
}

void TraceText::new_line(int depth) {
  out_.put('\n');
  for (int i = 0; i < depth; ++i) out_.put("  ");
}

void TraceText::indented(const EventFields& event) {
  constexpr int kDepth = 2;
  const auto put_field = [&](const Field& field, int depth) {
    new_line(depth);
    key(field.key, " ");
    if (field.kind == Field::Kind::kJson) {
      indented_json(field.text, depth);
    } else {
      value(field);
    }
  };
  out_.put("    {");
  for (std::size_t i = 0; i < event.top_size(); ++i) {
    if (i > 0) out_.put(',');
    put_field(event.top(i), kDepth + 1);
  }
  if (event.has_args()) {
    out_.put(',');
    new_line(kDepth + 1);
    out_.put("\"args\": {");
    for (std::size_t i = 0; i < event.args_size(); ++i) {
      if (i > 0) out_.put(',');
      put_field(event.arg(i), kDepth + 2);
    }
    if (event.args_size() > 0) new_line(kDepth + 1);
    out_.put('}');
  }
  new_line(kDepth);
  out_.put('}');
}

/// `json` without space outside strings.
void TraceText::compact_json(std::string_view json) {
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\') {
      out_.put(json.substr(i, 2));
      ++i;
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (in_string || (c != ' ' && c != '\n')) out_.put(c);
  }
}

/// `json` with each element of arrays and objects on its own line.
void TraceText::indented_json(std::string_view json, int depth) {
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') {
        out_.put(json.substr(i, 2));
        ++i;
        continue;
      }
      in_string = c != '"';
      out_.put(c);
      continue;
    }
    switch (c) {
      case ' ':
      case '\n': break;
      case '[':
      case '{': {
        out_.put(c);
        const std::size_t next = json.find_first_not_of(" \n", i + 1);
        const char closing = c == '[' ? ']' : '}';
        if (next != std::string_view::npos && json[next] == closing) {
          out_.put(closing);
          i = next;
        } else {
          new_line(++depth);
        }
        break;
      }
      case ']':
      case '}':
        new_line(--depth);
        out_.put(c);
        break;
      case ',':
        out_.put(c);
        new_line(depth);
        break;
      case ':': out_.put(": "); break;
      default: in_string = c == '"'; out_.put(c);
    }
  }
}

void TraceText::random_space(std::uint64_t& state) {
  static constexpr std::string_view kSpaces[] = {"", " ", "  ", "\n", "\t", " \r\n ", "   ", ""};
  out_.put(kSpaces[state % 8]);
  state = mix64(state + 1);
}

void TraceText::shuffled(const EventFields& event) {
  // Every order of keys is legal JSON; args in front are what a reader that streams trips over.
  std::uint64_t state = Draws(o_.seed, rank_, 0).at(Tag("shuffle"), events_);
  const auto permutation = [&](std::size_t size) {
    std::array<std::size_t, 64> order{};
    for (std::size_t i = 0; i < size; ++i) order.at(i) = i;
    for (std::size_t i = size; i > 1; --i) {
      state = mix64(state + 1);
      std::swap(order.at(i - 1), order.at(state % i));
    }
    return order;
  };
  const auto put_field = [&](const Field& field) {
    random_space(state);
    key(field.key, "");
    random_space(state);
    value(field);
    random_space(state);
  };
  const auto put_args = [&] {
    const auto order = permutation(event.args_size());
    random_space(state);
    key("args", " ");
    out_.put('{');
    for (std::size_t i = 0; i < event.args_size(); ++i) {
      if (i > 0) out_.put(',');
      put_field(event.arg(order.at(i)));
    }
    out_.put('}');
  };
  const bool args_first = event.has_args() && state % 10 == 0;
  const std::size_t args_after = event.has_args() && !args_first ? mix64(state) % (event.top_size() + 1) : 64;
  const auto order = permutation(event.top_size());
  bool first = true;
  const auto comma = [&] {
    if (!std::exchange(first, false)) out_.put(',');
  };
  out_.put('{');
  if (args_first) {
    comma();
    put_args();
  }
  for (std::size_t i = 0; i <= event.top_size(); ++i) {
    if (i == args_after) {
      comma();
      put_args();
    }
    if (i == event.top_size()) break;
    comma();
    put_field(event.top(order.at(i)));
  }
  random_space(state);
  out_.put('}');
}

}  // namespace tracegen
