# Apache ECharts draws the interactive charts of `hta report`; it is embedded in the program.
#
# HTA_ECHARTS_JS is the file to embed: the one that scripts/fetch-echarts put into build/third_party/, or nothing, and
# then reports have static charts only. -DHTA_ECHARTS_JS=FILE takes another file, -DHTA_ECHARTS_JS= takes none.
# HTA_ECHARTS_VERSION is the version that is pinned.
set(HTA_ECHARTS_LOCK ${PROJECT_SOURCE_DIR}/third_party/echarts/package-lock.json)
file(READ ${HTA_ECHARTS_LOCK} lock)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${HTA_ECHARTS_LOCK})
string(JSON HTA_ECHARTS_VERSION GET "${lock}" packages node_modules/echarts version)

if(NOT DEFINED HTA_ECHARTS_JS)
  # A glob, so that a build that was configured before the file came notices it.
  file(GLOB HTA_ECHARTS_JS CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/build/third_party/echarts-${HTA_ECHARTS_VERSION}/echarts.min.js)
endif()
if(HTA_ECHARTS_JS AND NOT EXISTS ${HTA_ECHARTS_JS})
  message(FATAL_ERROR "HTA_ECHARTS_JS: there is no file ${HTA_ECHARTS_JS}")
elseif(HTA_ECHARTS_JS)
  message(STATUS "Charts with Apache ECharts: ${HTA_ECHARTS_JS}")
else()
  message(STATUS "Apache ECharts not found: reports have static charts only (scripts/fetch-echarts fetches it)")
endif()
