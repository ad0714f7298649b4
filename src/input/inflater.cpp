#include "inflater.h"

#include <algorithm>
#include <cstring>
#include <limits>

#ifdef HTA_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

namespace hta::input {
namespace {

constexpr std::size_t kMaxStep = std::numeric_limits<std::uint32_t>::max() / 2;
constexpr unsigned char kMagic0 = 0x1F;

}  // namespace

#ifdef HTA_HAVE_ISAL

struct Inflater::State_ {
  inflate_state isal{};
  bool member_ended = false;  // a new member, or nothing, must follow
  bool failed = false;        // what was unpacked before the damage may still have to be handed out
};

namespace {

// ISA-L unpacks ahead of what there is room for; after a failure nobody but us hands out the rest.
Inflater::Step take_rest(inflate_state& isal, char* into, std::size_t room) {
  const auto rest = static_cast<std::size_t>(isal.tmp_out_valid - isal.tmp_out_processed);
  const std::size_t n = std::min(rest, room);
  std::memcpy(into, isal.tmp_out_buffer + isal.tmp_out_processed, n);
  isal.tmp_out_processed += static_cast<std::int32_t>(n);
  return {n, n < rest ? Inflater::State::kOk : Inflater::State::kFailed};
}

}  // namespace

Inflater::Inflater() : state_(std::make_unique<State_>()) {
  isal_inflate_init(&state_->isal);
  state_->isal.crc_flag = ISAL_GZIP;
}

void Inflater::feed(const char* data, std::size_t size) {
  state_->isal.next_in =
      reinterpret_cast<std::uint8_t*>(const_cast<char*>(data));  // NOLINT: the C interface is not const
  state_->isal.avail_in = static_cast<std::uint32_t>(size);
}

Inflater::Step Inflater::inflate(char* into, std::size_t room) {
  inflate_state& isal = state_->isal;
  if (state_->failed) return take_rest(isal, into, room);
  if (isal.avail_in == 0 && state_->member_ended) return {0, State::kNeedsInput};
  if (state_->member_ended) {
    // Zero padding behind the last member is common (tapes, block devices) and no fault.
    while (isal.avail_in > 0 && *isal.next_in == 0) {
      ++isal.next_in;
      --isal.avail_in;
    }
    if (isal.avail_in == 0) return {0, State::kNeedsInput};
    if (*isal.next_in != kMagic0) return {0, State::kTrailingGarbage};
    std::uint8_t* next = isal.next_in;
    const std::uint32_t left = isal.avail_in;
    isal_inflate_reset(&isal);
    isal.crc_flag = ISAL_GZIP;
    isal.next_in = next;
    isal.avail_in = left;
    state_->member_ended = false;
  }
  auto* const begin = reinterpret_cast<std::uint8_t*>(into);
  isal.next_out = begin;
  isal.avail_out = static_cast<std::uint32_t>(std::min(room, kMaxStep));
  const int code = isal_inflate(&isal);
  // Not by avail_out: after a failure it counts bytes of a piece that could not be finished, where there was room.
  Step step{static_cast<std::size_t>(isal.next_out - begin), State::kOk};
  if (code != ISAL_DECOMP_OK && code != ISAL_END_INPUT) {
    state_->failed = true;
    const Step rest = take_rest(isal, into + step.produced, room - step.produced);
    return {step.produced + rest.produced, rest.state};
  } else if (isal.block_state == ISAL_BLOCK_FINISH) {
    state_->member_ended = true;
    if (isal.avail_in == 0) step.state = State::kNeedsInput;
  } else if (isal.avail_in == 0 && isal.avail_out > 0) {
    step.state = State::kNeedsInput;
  }
  return step;
}

std::size_t Inflater::unused() const {
  // After a failure ISA-L may count below zero.
  return static_cast<std::size_t>(std::max(0, static_cast<std::int32_t>(state_->isal.avail_in)));
}

#else

struct Inflater::State_ {
  z_stream zlib{};
  bool member_ended = false;
  ~State_() { inflateEnd(&zlib); }
};

Inflater::Inflater() : state_(std::make_unique<State_>()) {
  inflateInit2(&state_->zlib, 15 + 16);
}

void Inflater::feed(const char* data, std::size_t size) {
  state_->zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data));  // NOLINT: the C interface is not const
  state_->zlib.avail_in = static_cast<uInt>(size);
}

Inflater::Step Inflater::inflate(char* into, std::size_t room) {
  z_stream& zlib = state_->zlib;
  if (state_->member_ended) {
    while (zlib.avail_in > 0 && *zlib.next_in == 0) {
      ++zlib.next_in;
      --zlib.avail_in;
    }
    if (zlib.avail_in == 0) return {0, State::kNeedsInput};
    if (*zlib.next_in != kMagic0) return {0, State::kTrailingGarbage};
    inflateReset(&zlib);
    state_->member_ended = false;
  }
  zlib.next_out = reinterpret_cast<Bytef*>(into);
  zlib.avail_out = static_cast<uInt>(std::min(room, kMaxStep));
  const uInt offered = zlib.avail_out;
  const int code = ::inflate(&zlib, Z_NO_FLUSH);
  Step step{offered - zlib.avail_out, State::kOk};
  if (code == Z_STREAM_END) {
    state_->member_ended = true;
    if (zlib.avail_in == 0) step.state = State::kNeedsInput;
  } else if (code != Z_OK && code != Z_BUF_ERROR) {
    step.state = State::kFailed;
  } else if (zlib.avail_in == 0 && zlib.avail_out > 0) {
    step.state = State::kNeedsInput;
  }
  return step;
}

std::size_t Inflater::unused() const {
  return state_->zlib.avail_in;
}

#endif

Inflater::~Inflater() = default;

bool Inflater::at_member_end() const {
  return state_->member_ended;
}

}  // namespace hta::input
